package dev.rota.internal.enqueue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.internal.enqueue.Doorbell.RemoteListeners;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Tests when a process knows that no worker of another one listens. */
class RemoteListenersTest {

  private static final Duration PAUSE = Duration.ofSeconds(11);

  private long now;
  private int missed;
  private final RemoteListeners listeners = new RemoteListeners(() -> now);
  private final String other = UUID.randomUUID().toString();

  @Test
  void processWithoutListenerCannotKnow() {
    pass(Duration.ofHours(1));
    assertThat(listeners.mayListen()).isTrue();
    listenAlone();
    listeners.end();
    assertThat(listeners.mayListen()).isTrue();
  }

  @Test
  void listenerIsCertainAfterHearingNoneForHalfAMinute() {
    listeners.begin();
    announce();
    announce();
    assertThat(listeners.mayListen()).isTrue();
    announce();
    assertThat(listeners.mayListen()).isFalse();
  }

  @Test
  void itAnnouncesItselfEveryTenSeconds() {
    listeners.begin();
    assertThat(listeners.announceNow()).isEqualTo(listeners.self());
    pass(Duration.ofSeconds(9));
    assertThat(listeners.announcement()).isEmpty();
    pass(Duration.ofSeconds(1));
    assertThat(listeners.announcement()).contains(listeners.self());
    assertThat(listeners.announcement()).isEmpty();
  }

  @Test
  void otherIsKnownUntilItIsSilent() {
    listenAlone();
    assertThat(hear(other)).isEqualTo(listeners.self() + "/" + other);
    assertThat(listeners.mayListen()).isTrue();
    announce();
    announce();
    assertThat(hear(other)).as("it knows of the doorbells").isNull();
    announce();
    announce();
    assertThat(listeners.mayListen()).isTrue();
    announce();
    assertThat(listeners.mayListen()).isFalse();
    assertThat(hear(other)).as("it may have missed some").isNotNull();
  }

  @Test
  void answerTellsOfMissedDoorbells() {
    listenAlone();
    assertThat(hear(other + "/" + UUID.randomUUID())).isNull();
    assertThat(missed).as("it answers another").isZero();
    assertThat(hear(other + "/" + listeners.self())).as("it needs no answer").isNull();
    assertThat(missed).isEqualTo(1);
    assertThat(listeners.mayListen()).isTrue();
  }

  @Test
  void frozenProcessIsNotCertain() {
    listenAlone();
    pass(Duration.ofMinutes(1));
    assertThat(listeners.mayListen()).isTrue();
    assertThat(listeners.announcement()).isPresent();
    assertThat(listeners.mayListen()).isTrue();
    announce();
    announce();
    announce();
    assertThat(listeners.mayListen()).isFalse();
  }

  @Test
  void foreignMessagesMeanNothing() {
    listenAlone();
    for (String message : new String[] {"", "/", "x", other + "/", other + "x", " " + other}) {
      assertThat(hear(message)).as(message).isNull();
    }
    assertThat(hear(listeners.self())).as("its own").isNull();
    assertThat(listeners.mayListen()).isFalse();
  }

  private void listenAlone() {
    listeners.begin();
    announce();
    announce();
    announce();
    assertThat(listeners.mayListen()).isFalse();
  }

  private void announce() {
    pass(PAUSE);
    assertThat(listeners.announcement()).isPresent();
  }

  private void pass(Duration time) {
    now += time.toNanos();
  }

  private String hear(String message) {
    return listeners.hear(message, () -> missed++).orElse(null);
  }
}
