package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.rota.history.RetentionPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tests the retention policies of single tenants, on the oldest and the newest server. */
@RotaTest
@PostgresVersions({15, 18})
class TenantPolicyTest {

  @Given private RotaFixture fixture;
  @Given private Tenant acme;

  @Test
  void aPolicyIsKeptAndSeenByOthers() {
    assertThat(acme.history().retention()).isEqualTo(RetentionPolicy.defaults());
    Duration odd = Duration.ofDays(36_499).plusHours(5).plusNanos(7_000);
    assertThat(acme.history().changeRetention(policy -> policy.keepHistory(odd)).keepHistory())
        .contains(odd);
    assertThat(fixture.another().tenants().get("acme").history().retention().keepHistory())
        .contains(odd);
    fixture.rota().tenants().register("other");
    assertThat(fixture.rota().tenants().list())
        .extracting(TenantInfo::policy)
        .containsExactly(acme.history().retention(), RetentionPolicy.defaults());
    acme.history().changeRetention(RetentionPolicy::keepHistoryByDefault);
    assertThat(acme.history().retention()).isEqualTo(RetentionPolicy.defaults());
  }

  @Test
  void everySettingIsKeptAndGivenUpByItself() {
    RetentionPolicy all =
        RetentionPolicy.defaults()
            .keepHistory(Duration.ofDays(3))
            .archive(false)
            .keepArchive(Duration.ofDays(3_650))
            .legalHold(true)
            .segmentAge(Duration.ofMinutes(5))
            .segmentBytes(0);
    acme.history().changeRetention(policy -> all);
    assertThat(acme.history().retention()).isEqualTo(all).hasToString(all.toString());
    assertThat(fixture.rota().tenants().list().get(0).policy()).isEqualTo(all);
    acme.history()
        .changeRetention(
            policy ->
                policy
                    .archiveByDefault()
                    .keepArchiveByDefault()
                    .segmentAgeByDefault()
                    .segmentBytesByDefault());
    assertThat(acme.history().retention())
        .isEqualTo(RetentionPolicy.defaults().keepHistory(Duration.ofDays(3)).legalHold(true));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RetentionPolicy.defaults().segmentAge(Duration.ZERO))
        .withMessageContaining("1 second to 36500 days");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RetentionPolicy.defaults().segmentBytes(-1));
  }

  @Test
  void noChangeIsLost() throws Exception {
    CompletableFuture<RetentionPolicy> second;
    try (Connection first = fixture.database().connect()) {
      first.setAutoCommit(false);
      RotaFixture.texts(first, "select 1 from rota.tenant where number = 1 for update");
      second =
          InBackground.supply(
              () ->
                  acme.history()
                      .changeRetention(
                          policy ->
                              policy.keepHistory(policy.keepHistory().orElseThrow().plusDays(1))));
      fixture.awaitBlocked(1);
      try (var statement = first.createStatement()) {
        statement.execute("update rota.tenant set keep_history = interval '2 days'");
      }
      first.commit();
    }
    assertThat(second.get().keepHistory()).contains(Duration.ofDays(3));
  }

  @Test
  void aChangeThatFailsChangesNothing() {
    acme.history().changeRetention(policy -> policy.keepHistory(Duration.ofDays(2)));
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> acme.history().changeRetention(policy -> policy.keepHistory(Duration.ofDays(-1))))
        .withMessageContaining("keepHistory is PT-24H");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RetentionPolicy.defaults().keepHistory(Duration.ofDays(36_501)));
    assertThat(acme.history().retention().keepHistory()).contains(Duration.ofDays(2));
  }

  @Test
  void aTenantThatIsGoneIsNamed() throws SQLException {
    fixture.execute("delete from rota.tenant");
    assertThatExceptionOfType(UnknownTenantException.class)
        .isThrownBy(
            () -> acme.history().changeRetention(policy -> policy.keepHistory(Duration.ZERO)))
        .withMessageContaining("'acme'");
  }
}
