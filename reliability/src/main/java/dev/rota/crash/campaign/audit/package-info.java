/**
 * The audit of a campaign: what producers were told and handlers did, against what the database
 * holds.
 */
@NullMarked
package dev.rota.crash.campaign.audit;

import org.jspecify.annotations.NullMarked;
