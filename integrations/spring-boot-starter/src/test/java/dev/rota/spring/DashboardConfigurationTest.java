package dev.rota.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.dashboard.DashboardAccess;
import dev.rota.dashboard.DashboardServlet;
import dev.rota.testing.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.security.web.csrf.CsrfToken;

/** Tests when the dashboard is mounted. */
class DashboardConfigurationTest {

  private static final String ENABLED = "rota.dashboard.enabled=true";

  private final TestDatabase database = Contexts.migrated();

  @AfterEach
  void close() {
    database.close();
  }

  private WebApplicationContextRunner runner(String... properties) {
    return new WebApplicationContextRunner()
        .withPropertyValues("spring.datasource.url=" + database.jdbcUrl())
        .withPropertyValues("rota.worker.enabled=false", "rota.daemon.enabled=false")
        .withPropertyValues(properties)
        .withConfiguration(
            AutoConfigurations.of(DataSourceAutoConfiguration.class, RotaAutoConfiguration.class));
  }

  @Test
  void itIsMountedIfAPropertySaysSo() {
    runner().run(context -> assertThat(context).doesNotHaveBean("rotaDashboard"));
    runner(ENABLED)
        .run(context -> assertThat(context).hasBean("rotaDashboard").hasBean("rotaDashboardToken"));
  }

  @Test
  void theApplicationMayDecideWhoSeesIt() {
    DashboardAccess own = DashboardAccess.users();
    runner(ENABLED)
        .withBean(DashboardAccess.class, () -> own)
        .run(context -> assertThat(context).getBean(DashboardAccess.class).isSameAs(own));
  }

  @Test
  void itNeedsItsLibraryAndNoSecurity() {
    runner(ENABLED)
        .withClassLoader(new FilteredClassLoader(DashboardServlet.class))
        .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("rotaDashboard"));
    runner(ENABLED)
        .withClassLoader(new FilteredClassLoader(CsrfToken.class))
        .run(
            context ->
                assertThat(context)
                    .hasNotFailed()
                    .hasBean("rotaDashboard")
                    .doesNotHaveBean("rotaDashboardToken"));
  }

  @Test
  void aPathThatCannotBeMountedEndsTheStart() {
    for (String path : new String[] {"ops", "/ops/", "/", "/ops/*"}) {
      runner(ENABLED, "rota.dashboard.path=" + path)
          .run(
              context ->
                  assertThat(context)
                      .getFailure()
                      .rootCause()
                      .hasMessage(
                          "rota.dashboard.path is '%s'; use a path such as /ops/rota", path));
    }
  }
}
