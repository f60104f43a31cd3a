/** How a tenant is erased. */
@NullMarked
package dev.rota.erasure.internal;

import org.jspecify.annotations.NullMarked;
