package dev.rota.crash.interleaving;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Lets the actors move one at a time. A step that does not return is blocked if the server reports
 * that its process waits for that of another actor. It is never called blocked because it takes
 * long.
 */
final class StepScheduler implements AutoCloseable {

  /** The most actors of a scenario. */
  private static final int MOST_ACTORS = 4;

  private static final long PATIENCE = Duration.ofSeconds(30).toNanos();

  private final StepGate stage;
  private final Waits waits;
  private final List<Thread> threads = new ArrayList<>();
  private final List<ExecutorService> executors = new ArrayList<>();

  /** The check after each step. */
  @FunctionalInterface
  interface Check {
    void run(Move move) throws Exception;
  }

  StepScheduler(StepGate stage, Waits waits) {
    this.stage = stage;
    this.waits = waits;
    for (int i = 0; i < MOST_ACTORS; i++) {
      Thread[] thread = new Thread[1];
      String name = "actor-" + i;
      ExecutorService executor =
          Executors.newSingleThreadExecutor(
              work -> {
                thread[0] = new Thread(work, name);
                thread[0].setDaemon(true);
                return thread[0];
              });
      executor.execute(() -> {});
      threads.add(thread[0]);
      executors.add(executor);
    }
  }

  /**
   * Plays until all actors have ended, also when an error occurs.
   *
   * @return the moves
   */
  List<Move> play(List<Role> roles, Chooser chooser, Check check, List<Move> moves)
      throws Exception {
    List<Actor> actors = cast(roles);
    stage.enter(actors);
    try {
      for (Actor actor : actors) {
        begin(actor);
      }
      @Nullable Actor last = null;
      while (!allEnded(actors)) {
        Move move = next(actors, last, chooser);
        if (move != null) {
          moves.add(move);
          last = actors.get(move.actor());
          perform(last, move);
          awaitFreed(actors);
          check.run(move);
        }
      }
    } finally {
      release(actors);
    }
    for (Actor actor : actors) {
      if (actor.failure != null) {
        throw failed(actor);
      }
    }
    return moves;
  }

  private static Exception failed(Actor actor) {
    Throwable failure = actor.failure;
    if (failure instanceof Violation violation) {
      return violation;
    }
    Violation violation = new Violation(actor.role.name() + " failed: " + failure);
    violation.initCause(failure);
    return violation;
  }

  private List<Actor> cast(List<Role> roles) {
    List<Actor> actors = new ArrayList<>();
    for (int i = 0; i < roles.size(); i++) {
      actors.add(new Actor(i, roles.get(i), threads.get(i)));
    }
    return actors;
  }

  /** Runs the actor up to its first call; until there nothing that others see has happened. */
  private void begin(Actor actor) throws SQLException {
    executors.get(actor.number).execute(() -> stage.act(actor));
    awaitStill(actor);
  }

  /** Chooses the next move; null after a wait for actors that are blocked and cannot give up. */
  private @Nullable Move next(List<Actor> actors, @Nullable Actor last, Chooser chooser)
      throws SQLException {
    List<Move> possible = new ArrayList<>();
    boolean continuing = false;
    synchronized (stage) {
      if (last != null && last.state == Actor.State.READY) {
        continuing = true;
        possible.add(last.move());
      }
      for (Actor actor : actors) {
        if (actor != last && actor.state == Actor.State.READY) {
          possible.add(actor.move());
        }
      }
      for (Actor actor : actors) {
        if (actor.state == Actor.State.BLOCKED && actor.role.impatient()) {
          possible.add(actor.move());
        }
      }
    }
    boolean onlyGivingUp = possible.stream().allMatch(Move::givesUp);
    if (onlyGivingUp) {
      // All wait for each other: the server detects that, and ends it.
      awaitProgress(actors);
      return null;
    }
    return chooser.choose(possible, continuing);
  }

  private void perform(Actor actor, Move move) throws SQLException {
    if (move.givesUp()) {
      waits.cancel(actor.thread);
      resume(actor);
    } else {
      stage.grant(actor);
    }
    awaitStill(actor);
  }

  private void resume(Actor actor) {
    synchronized (stage) {
      if (actor.state == Actor.State.BLOCKED) {
        actor.state = Actor.State.RUNNING;
      }
    }
  }

  private boolean isBlocked(Actor actor) throws SQLException {
    return waits.isBlocked(actor.thread, threads);
  }

  /** Waits until the actor stops, ends, or waits for another one. */
  private void awaitStill(Actor actor) throws SQLException {
    long deadline = System.nanoTime() + PATIENCE;
    synchronized (stage) {
      while (actor.state == Actor.State.RUNNING) {
        stage.pause(1);
        if (actor.state == Actor.State.RUNNING && isBlocked(actor)) {
          actor.state = Actor.State.BLOCKED;
        }
        refuseToWaitForEver(actor, deadline);
      }
    }
  }

  /** Waits for the actors that the last step unblocked: they continue at once, until they stop. */
  private void awaitFreed(List<Actor> actors) throws SQLException {
    for (Actor actor : actors) {
      boolean freed;
      synchronized (stage) {
        freed = actor.state == Actor.State.BLOCKED && !isBlocked(actor);
        if (freed && actor.state == Actor.State.BLOCKED) {
          actor.state = Actor.State.RUNNING;
        }
      }
      if (freed) {
        awaitStill(actor);
      }
    }
  }

  private void awaitProgress(List<Actor> actors) throws SQLException {
    long deadline = System.nanoTime() + PATIENCE;
    while (actors.stream().allMatch(actor -> isWaiting(actor))) {
      synchronized (stage) {
        stage.pause(1);
      }
      awaitFreed(actors);
      refuseToWaitForEver(actors.get(0), deadline);
    }
  }

  private boolean isWaiting(Actor actor) {
    synchronized (stage) {
      return actor.state == Actor.State.BLOCKED || actor.state == Actor.State.ENDED;
    }
  }

  private static void refuseToWaitForEver(Actor actor, long deadline) {
    if (System.nanoTime() > deadline) {
      throw new IllegalStateException(
          "%s does not come back from '%s', and waits for no actor: %s"
              .formatted(
                  actor.role.name(), actor.call, Arrays.toString(actor.thread.getStackTrace())));
    }
  }

  private boolean allEnded(List<Actor> actors) {
    synchronized (stage) {
      return actors.stream().allMatch(actor -> actor.state == Actor.State.ENDED);
    }
  }

  /** Lets all remaining actors run to their ends. */
  private void release(List<Actor> actors) {
    long deadline = System.nanoTime() + PATIENCE;
    stage.release();
    synchronized (stage) {
      for (Actor actor : actors) {
        while (actor.state != Actor.State.ENDED && System.nanoTime() < deadline) {
          stage.pause(TimeUnit.SECONDS.toMillis(1));
        }
      }
    }
  }

  @Override
  public void close() throws SQLException {
    executors.forEach(ExecutorService::shutdown);
    waits.close();
  }
}
