/**
 * Texts: what PostgreSQL can store, what a log can show, and error texts as history keeps them.
 * Depends on nothing.
 */
@NullMarked
package dev.rota.internal.text;

import org.jspecify.annotations.NullMarked;
