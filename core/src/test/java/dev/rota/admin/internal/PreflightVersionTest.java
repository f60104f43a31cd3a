package dev.rota.admin.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.admin.Finding.Severity;
import org.junit.jupiter.api.Test;

/** Tests versions of servers that this machine does not have. */
class PreflightVersionTest {

  @Test
  void refusesOlderServersAndWarnsOfNewerOnes() {
    assertThat(PreflightChecks.version(140_018, "14.18"))
        .satisfies(finding -> assertThat(finding.severity()).isEqualTo(Severity.ERROR))
        .asString()
        .isEqualTo(
            "the server is PostgreSQL 14.18: Rota needs features of PostgreSQL 15;"
                + " upgrade the server");
    assertThat(PreflightChecks.version(150_000, "15.0")).isNull();
    assertThat(PreflightChecks.version(189_999, "18.99")).isNull();
    assertThat(PreflightChecks.version(190_000, "19.0"))
        .satisfies(finding -> assertThat(finding.severity()).isEqualTo(Severity.WARNING))
        .asString()
        .contains("PostgreSQL 19.0", "tested with 15 to 18");
  }
}
