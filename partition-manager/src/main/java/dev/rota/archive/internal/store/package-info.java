/** Object stores: a folder, and S3. Not for users. */
@NullMarked
package dev.rota.archive.internal.store;

import org.jspecify.annotations.NullMarked;
