package dev.rota.crash.interleaving;

import java.util.List;

/** All scenarios. */
public final class Plots {

  private Plots() {}

  /** In the order in which they are played. */
  public static List<Scenario> all() {
    return List.of(
        RingPlots.claims(),
        RingPlots.staleProducer(),
        RingPlots.wholeTurn(),
        RingPlots.callersTransaction(),
        RingPlots.lanes(),
        RingPlots.promotion(),
        LeasePlots.zombie(),
        LeasePlots.partlySettled(),
        LeasePlots.handBack(),
        LeasePlots.cancel(),
        LeasePlots.cancelRunning(),
        LeasePlots.redrive(),
        TransactionPlots.transactional(),
        TransactionPlots.sqlFunction(),
        MovePlots.pipeline(),
        MovePlots.priority(),
        MovePlots.returned(),
        FeaturePlots.keys(),
        FeaturePlots.versions(),
        FeaturePlots.graph(),
        FeaturePlots.graphOfTheDead(),
        RetentionPlots.segments(),
        RetentionPlots.ledger(),
        RewritePlots.settled(),
        RewritePlots.returned(),
        RewritePlots.numberOfAnother());
  }
}
