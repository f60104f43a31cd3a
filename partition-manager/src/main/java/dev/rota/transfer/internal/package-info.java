/** How tenants are exported, imported and restored. */
@NullMarked
package dev.rota.transfer.internal;

import org.jspecify.annotations.NullMarked;
