/**
 * Texts that PostgreSQL can store and a log can show, and error texts as history keeps them.
 * Depends on nothing.
 */
@NullMarked
package dev.rota.internal.text;

import org.jspecify.annotations.NullMarked;
