package dev.rota.spring;

import dev.rota.Rota;
import dev.rota.testing.TestDatabase;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcClientAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;

/** Contexts of applications over databases of tests. */
final class Contexts {

  private Contexts() {}

  /** A database with the schema of Rota. */
  static TestDatabase migrated() {
    return TestDatabase.copyOf("spring", Contexts::migrate);
  }

  private static void migrate(String jdbcUrl) {
    try (Rota rota = Rota.connect(jdbcUrl)) {
      rota.admin().migrate();
    }
  }

  /** An application with JDBC, transactions, JSON, and a tenant called acme. */
  static ApplicationContextRunner over(TestDatabase database) {
    return new ApplicationContextRunner()
        .withPropertyValues(
            "spring.datasource.url=" + database.jdbcUrl(),
            "spring.datasource.hikari.maximum-pool-size=8",
            "rota.tenants=acme")
        .withConfiguration(
            AutoConfigurations.of(
                DataSourceAutoConfiguration.class,
                DataSourceTransactionManagerAutoConfiguration.class,
                JdbcTemplateAutoConfiguration.class,
                JdbcClientAutoConfiguration.class,
                TransactionAutoConfiguration.class,
                JacksonAutoConfiguration.class,
                RotaAutoConfiguration.class));
  }
}
