package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.rota.audit.AuditEntry;
import dev.rota.audit.AuditEntry.Result;
import dev.rota.audit.AuditLog;
import dev.rota.audit.AuditQuery;
import dev.rota.audit.AuditState;
import dev.rota.audit.AuditedAction;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the record of what people change. */
@RotaTest
class AuditTest {

  @Given private RotaFixture fixture;

  private AuditLog audit;

  @BeforeEach
  void open() {
    fixture.tenant("acme");
    audit = fixture.rota().audit();
  }

  private static AuditedAction redrive(Optional<String> tenant) {
    return new AuditedAction("joe", "redrive", tenant, "kind mail", OptionalLong.of(12));
  }

  @Test
  void anActionIsRecordedFromItsBeginningToItsEnd() {
    AuditedAction action = redrive(Optional.of("acme"));
    long id = audit.begin(action);
    assertThat(audit.progress(id, 5)).isTrue();
    AuditEntry running = audit.find(id).orElseThrow();
    assertThat(running.action()).isEqualTo(action);
    assertThat(running.result()).isEqualTo(new Result(AuditState.RUNNING, 5, false, ""));
    assertThat(running.times().endedAt()).isEmpty();
    assertThat(running.isInterrupted()).isFalse();
    audit.end(id, new Result(AuditState.DONE, 12, false, "all of them"));
    AuditEntry done = audit.find(id).orElseThrow();
    assertThat(done.result()).isEqualTo(new Result(AuditState.DONE, 12, false, "all of them"));
    assertThat(done.times().endedAt()).isPresent();
  }

  @Test
  void theEndIsRecordedOnce() {
    long id = audit.begin(redrive(Optional.empty()));
    audit.end(id, new Result(AuditState.FAILED, 3, false, "no luck"));
    audit.end(id, new Result(AuditState.DONE, 12, false, ""));
    assertThat(audit.find(id).orElseThrow().result().state()).isEqualTo(AuditState.FAILED);
    assertThat(audit.progress(id, 9)).as("what ended does not go on").isFalse();
    assertThat(audit.requestStop(id)).isFalse();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> audit.end(id, new Result(AuditState.RUNNING, 0, false, "")));
  }

  @Test
  void aRequestToStopReachesTheProcessThatRunsTheAction() {
    long id = audit.begin(redrive(Optional.empty()));
    assertThat(audit.requestStop(id)).isTrue();
    assertThat(audit.progress(id, 1)).isFalse();
    assertThat(audit.find(id).orElseThrow().result().stopRequested()).isTrue();
  }

  @Test
  void anActionWhoseProcessDiedIsInterrupted() throws SQLException {
    long id = audit.begin(redrive(Optional.empty()));
    fixture.execute("update rota.audit set seen_at = seen_at - interval '2 minutes'");
    assertThat(audit.find(id).orElseThrow().isInterrupted()).isTrue();
    audit.end(id, new Result(AuditState.DONE, 0, false, ""));
    assertThat(audit.find(id).orElseThrow().isInterrupted()).isFalse();
  }

  @Test
  void entriesAreListedTheNewestFirst() {
    fixture.tenant("other");
    List<Long> ids =
        IntStream.range(0, 6)
            .mapToObj(i -> audit.begin(redrive(Optional.of(i % 2 == 0 ? "acme" : "other"))))
            .toList();
    assertThat(audit.list(AuditQuery.newest().limit(2)))
        .extracting(AuditEntry::id)
        .containsExactly(ids.get(5), ids.get(4));
    assertThat(audit.list(AuditQuery.newest().before(ids.get(2))))
        .extracting(AuditEntry::id)
        .containsExactly(ids.get(1), ids.get(0));
    assertThat(audit.list(AuditQuery.newest().tenant("acme")))
        .extracting(AuditEntry::id)
        .containsExactly(ids.get(4), ids.get(2), ids.get(0));
    assertThat(audit.find(Long.MAX_VALUE)).isEmpty();
  }

  @Test
  void badInputIsRefused() {
    assertThatExceptionOfType(UnknownTenantException.class)
        .isThrownBy(() -> audit.begin(redrive(Optional.of("no such"))));
    assertThatExceptionOfType(UnknownTenantException.class)
        .isThrownBy(() -> audit.list(AuditQuery.newest().tenant("no such")));
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> new AuditedAction(" ", "pause", Optional.empty(), "", OptionalLong.empty()))
        .withMessageContaining("actor");
    assertThatIllegalArgumentException().isThrownBy(() -> AuditQuery.newest().limit(0));
    assertThat(audit.list(AuditQuery.newest())).isEmpty();
  }

  @Test
  void textsThatTheDatabaseCannotKeepAreKeptWithoutTheirCharacters() {
    long id =
        audit.begin(
            new AuditedAction(
                "joe\u0000", "pause", Optional.empty(), "\ud800 reason", OptionalLong.empty()));
    audit.end(id, new Result(AuditState.DONE, 0, false, "a\u0000b"));
    assertThat(audit.find(id).orElseThrow().action().about()).contains("reason");
  }
}
