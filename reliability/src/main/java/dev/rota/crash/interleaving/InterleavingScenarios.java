package dev.rota.crash.interleaving;

import java.util.List;

/** All scenarios. */
public final class InterleavingScenarios {

  private InterleavingScenarios() {}

  /** In the order in which they are played. */
  public static List<Scenario> all() {
    return List.of(
        RingScenarios.claims(),
        RingScenarios.staleProducer(),
        RingScenarios.wholeTurn(),
        RingScenarios.callersTransaction(),
        RingScenarios.lanes(),
        RingScenarios.promotion(),
        LeaseScenarios.zombie(),
        LeaseScenarios.partlySettled(),
        LeaseScenarios.handBack(),
        LeaseScenarios.cancel(),
        LeaseScenarios.cancelRunning(),
        LeaseScenarios.redrive(),
        TransactionScenarios.transactional(),
        TransactionScenarios.sqlFunction(),
        MoveScenarios.pipeline(),
        MoveScenarios.priority(),
        MoveScenarios.returned(),
        FeatureScenarios.keys(),
        FeatureScenarios.versions(),
        FeatureScenarios.graph(),
        FeatureScenarios.graphOfTheDead(),
        RetentionScenarios.segments(),
        RetentionScenarios.parking(),
        RetentionScenarios.ledger(),
        RetentionScenarios.metering(),
        RewriteScenarios.settled(),
        RewriteScenarios.returned(),
        RewriteScenarios.numberOfAnother());
  }
}
