@NullMarked
package dev.rota.erasure;

import org.jspecify.annotations.NullMarked;
