/** The audit: what people changed, and what they are changing. */
@NullMarked
package dev.rota.audit;

import org.jspecify.annotations.NullMarked;
