/** Between values and payloads, and between calls and tasks. Not for users. */
@NullMarked
package dev.rota.typed.internal;

import org.jspecify.annotations.NullMarked;
