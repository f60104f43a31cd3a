/**
 * The audit of a campaign: the accounts of producers and handlers against the contents of the
 * database.
 */
@NullMarked
package dev.rota.crash.campaign.audit;

import org.jspecify.annotations.NullMarked;
