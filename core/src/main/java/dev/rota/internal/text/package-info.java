/**
 * Texts that PostgreSQL can store and a log can show, error texts as history keeps them, and checks
 * of arguments. Depends on nothing.
 */
@NullMarked
package dev.rota.internal.text;

import org.jspecify.annotations.NullMarked;
