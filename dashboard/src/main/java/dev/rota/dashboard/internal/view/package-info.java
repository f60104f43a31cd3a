/** What pages show and how visits ask for it. Not for users. */
@NullMarked
package dev.rota.dashboard.internal.view;

import org.jspecify.annotations.NullMarked;
