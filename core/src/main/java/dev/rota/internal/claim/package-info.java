/** Claims: moves a tenant's tasks from a slot into history and opens their batch. Not for users. */
@NullMarked
package dev.rota.internal.claim;

import org.jspecify.annotations.NullMarked;
