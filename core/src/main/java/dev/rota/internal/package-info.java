/**
 * The assembly: builders, the default implementations of the facade, and the kernel that binds all
 * parts. Not for users.
 */
@NullMarked
package dev.rota.internal;

import org.jspecify.annotations.NullMarked;
