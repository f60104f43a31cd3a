package dev.rota.crash.interleaving;

import dev.rota.Batch;

/** Scenarios of opened and dropped segments of history and of the ledger. */
public final class RetentionPlots {

  private RetentionPlots() {}

  /** A claimer and a settler that do not know yet that their segment is sealed, or gone. */
  public static ScriptedScenario segments() {
    return ScriptedScenario.named("segments")
        .thatRetires()
        .given(
            world -> {
              world.enqueue(0, world.task(), world.task());
              world.hold(1, 1);
            })
        .actor(
            "segment keeper",
            world -> {
              world.daemon(3).openSegment(world.tenant(3).number());
              world.daemon(3).retireSegments();
            })
        .actor("claimer", world -> world.work(2, 1))
        .actor("settler", RetentionPlots::failAndSettle)
        .finallyDo(world -> world.daemon(3).retireSegments());
  }

  private static void failAndSettle(InterleavingEnvironment world) {
    Batch batch = world.held(0);
    world.fail(batch, batch.tasks().get(0));
    world.settle(batch);
  }

  /** The same race at a segment of the ledger, from which batches are settled and reaped. */
  public static ScriptedScenario ledger() {
    return ScriptedScenario.named("ledger")
        .thatRetires()
        .given(
            world -> {
              world.enqueue(0, world.task(), world.task());
              world.hold(1, 1);
              world.execute(
                  "update rota.ledger_segment set opened_at = now() - interval '1 day',"
                      + " sealed_at = sealed_at - interval '1 day'");
            })
        .actor(
            "ledger keeper",
            world -> {
              world.daemon(3).turnLedgerOver();
              world.daemon(3).turnLedgerOver();
            })
        .actor("claimer", world -> world.work(2, 1))
        .actor("settler", RetentionPlots::failAndSettle)
        .finallyDo(world -> world.daemon(3).turnLedgerOver());
  }
}
