package dev.rota.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Rota;
import dev.rota.SchemaMissingException;
import dev.rota.Tenant;
import dev.rota.testing.TestDatabase;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.liquibase.autoconfigure.LiquibaseAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Tests migrations, schedules, and what a failed start tells the developer. */
class StartTest {

  /** A bean with schedules. */
  static class Reports {
    private final CountDownLatch ran = new CountDownLatch(1);

    @RotaSchedule(name = "often", every = "1s")
    void often() {
      ran.countDown();
    }

    @RotaSchedule(name = "nightly", tenant = "acme", cron = "0 3 * * *", zone = "Europe/Berlin")
    void nightly() {}

    @RotaSchedule(name = "off", cron = "${off.cron}")
    void off() {}
  }

  /** A bean with a schedule that has no time. */
  static class Timeless {
    @RotaSchedule(name = "never")
    void run() {}
  }

  @Test
  void schedulesAreStoredAndRun() {
    try (TestDatabase database = Contexts.migrated()) {
      Contexts.over(database)
          .withPropertyValues("off.cron=-")
          .withBean(Reports.class)
          .run(
              context -> {
                assertThat(context.getBean(Reports.class).ran.await(60, TimeUnit.SECONDS)).isTrue();
                Rota rota = context.getBean(Rota.class);
                Tenant system = rota.tenants().get("system");
                assertThat(system.schedules().list())
                    .extracting(info -> info.schedule().name())
                    .containsExactly("often");
                assertThat(rota.tenants().get("acme").schedules().find("nightly")).isPresent();
              });
      Contexts.over(database)
          .withBean(Timeless.class)
          .run(
              context ->
                  assertThat(context.getStartupFailure())
                      .hasMessageContaining("'never' of Timeless.run needs either"));
    }
  }

  @Test
  void migratesAfterFlyway() throws Exception {
    migratesAfter(FlywayAutoConfiguration.class, "spring.flyway.locations=classpath:order");
  }

  @Test
  void migratesAfterLiquibase() throws Exception {
    migratesAfter(
        LiquibaseAutoConfiguration.class,
        "spring.liquibase.change-log=classpath:order/V1__application.sql");
  }

  private static void migratesAfter(Class<?> migrations, String property) throws Exception {
    try (TestDatabase database = TestDatabase.create()) {
      Contexts.over(database)
          .withConfiguration(AutoConfigurations.of(migrations))
          .withPropertyValues(property)
          .run(
              context -> {
                assertThat(context.getBean(Rota.class).tenants().list()).hasSize(1);
                assertThat(database.texts("select rota_was_missing from application"))
                    .containsExactly("t");
              });
    }
  }

  @Test
  void aMissingSchemaEndsTheStartIfItIsChecked() {
    try (TestDatabase database = TestDatabase.create()) {
      Contexts.over(database)
          .withPropertyValues("rota.migrate=check")
          .run(
              context -> {
                Throwable failure = context.getStartupFailure();
                assertThat(failure).hasRootCauseInstanceOf(SchemaMissingException.class);
                FailureAnalysis analysis = new StartFailureAnalyzer.OfSchema().analyze(failure);
                assertThat(analysis.getAction()).contains("rota.migrate=true");
              });
    }
  }

  @Test
  void anOldSchemaEndsTheStartAndAPresentOnePassesTheCheck() throws Exception {
    try (TestDatabase database = Contexts.migrated()) {
      ApplicationContextRunner checked =
          Contexts.over(database).withPropertyValues("rota.migrate=check");
      checked.run(context -> assertThat(context).hasSingleBean(Rota.class));
      database.execute(
          "delete from rota.schema_history where installed_rank"
              + " = (select max(installed_rank) from rota.schema_history)");
      checked.run(
          context ->
              assertThat(context.getStartupFailure())
                  .rootCause()
                  .isInstanceOf(SchemaMissingException.class)
                  .hasMessageContaining("schema 'rota' is older than this library"));
    }
  }

  @Test
  void severalDataSourcesNeedAChoice() {
    try (TestDatabase database = Contexts.migrated()) {
      ApplicationContextRunner two =
          Contexts.over(database)
              .withBean("orders", DataSource.class, database::dataSource)
              .withBean("reports", DataSource.class, database::dataSource);
      two.run(
          context -> {
            FailureAnalysis analysis =
                new StartFailureAnalyzer.OfDataSources().analyze(context.getStartupFailure());
            assertThat(analysis.getDescription()).contains("orders, reports");
            assertThat(analysis.getAction()).contains("rota.datasource");
          });
      two.withPropertyValues("rota.datasource=orders")
          .run(context -> assertThat(context).hasSingleBean(Rota.class));
    }
  }

  @Test
  void failuresSayWhatToDo() {
    Throwable handler = new BeanCreationException("x", new InvalidHandlerException("two", "one"));
    assertThat(new StartFailureAnalyzer.OfHandlers().analyze(handler))
        .extracting(FailureAnalysis::getDescription, FailureAnalysis::getAction)
        .containsExactly("two", "one");
    Throwable jooq = new UnsupportedClassVersionError("org/jooq/QueryPart has been compiled by 65");
    assertThat(new StartFailureAnalyzer.OfJooq().analyze(new BeanCreationException("x", jooq)))
        .extracting(FailureAnalysis::getAction)
        .asString()
        .contains("jooq.version", StartFailureAnalyzer.OfJooq.NEWEST_FOR_17);
    Throwable other = new UnsupportedClassVersionError("com/example/X");
    assertThat(new StartFailureAnalyzer.OfJooq().analyze(other)).isNull();
  }
}
