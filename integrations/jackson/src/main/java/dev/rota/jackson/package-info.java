/** Payloads in JSON, written and read by Jackson. */
@NullMarked
package dev.rota.jackson;

import org.jspecify.annotations.NullMarked;
