package dev.rota.internal.claim;

import dev.rota.internal.schema.BatchEnd;
import dev.rota.internal.settle.ClaimedTask.CancelCheck;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.tenant.TenantRef.PriorityLanes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jooq.DataType;
import org.jooq.QueryPart;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * The settings that all claims of one claimer share, and their statements. Compared by identity.
 */
final class ClaimTerms {

  static final Sql CLAIM = Sql.named("claim");
  private static final Sql CLAIM_KINDS = Sql.named("claim", "and_kinds");
  private static final Sql CLAIM_WEIGHED = Sql.named("claim_weighed");
  private static final Sql CLAIM_WEIGHED_KINDS = Sql.named("claim_weighed", "and_kinds");

  /** The largest payload, in bytes, that a claim without a byte limit returns. */
  static final int LARGEST_LIGHT = 4_096;

  private static final DataType<String[]> KINDS = SQLDataType.CLOB.array();

  private final int lockNamespace;
  private final @Nullable List<String> kinds;
  private final BatchEnd end;
  private final CancelCheck cancelCheck;

  /**
   * Creates the terms for one set of kinds.
   *
   * @param kinds the kinds to claim, or null for all
   * @param end the state of the batches after the claim
   * @param cancelCheck tells whether cancellation of a claimed task was requested
   */
  ClaimTerms(
      int lockNamespace, @Nullable List<String> kinds, BatchEnd end, CancelCheck cancelCheck) {
    this.lockNamespace = lockNamespace;
    this.kinds = kinds;
    this.end = end;
    this.cancelCheck = cancelCheck;
  }

  int lockNamespace() {
    return lockNamespace;
  }

  /** The kinds to claim, or null for all. */
  @Nullable List<String> kinds() {
    return kinds;
  }

  /** The state of the batches after the claim. */
  BatchEnd end() {
    return end;
  }

  CancelCheck cancelCheck() {
    return cancelCheck;
  }

  /** The statement that claims from a slot of a tenant into one of its segments. */
  String statement(TenantRef tenant, boolean weighed, int slot, int segment) {
    Sql statement = weighed ? weighed() : light();
    return tenant
        .statements()
        .onSegment(statement, segment, slot, this, () -> constants(tenant.number(), slot));
  }

  private Map<String, QueryPart> constants(int tenant, int slot) {
    Map<String, QueryPart> constants = new HashMap<>();
    constants.put("tenant", DSL.inline(tenant));
    constants.put("namespace", DSL.inline(lockNamespace));
    constants.put("lane", PriorityLanes.valueOf(PriorityLanes.of(slot)));
    constants.put("largest_light", DSL.inline(LARGEST_LIGHT));
    if (kinds != null) {
      constants.put("kinds", DSL.inline(kinds.toArray(new String[0]), KINDS));
    }
    return constants;
  }

  private Sql light() {
    return kinds == null ? CLAIM : CLAIM_KINDS;
  }

  private Sql weighed() {
    return kinds == null ? CLAIM_WEIGHED : CLAIM_WEIGHED_KINDS;
  }
}
