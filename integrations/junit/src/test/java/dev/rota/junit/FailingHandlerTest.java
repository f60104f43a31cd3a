package dev.rota.junit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.NewTask;
import dev.rota.Tenant;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Tests by JUnit itself that a handler that fails lets its test fail, and what JUnit shows. */
class FailingHandlerTest {

  /** Only the launcher below runs it. */
  @RotaTest
  static class Sample {

    @Test
    void sends(TestRota rota, Tenant acme) {
      rota.handlers(worker -> worker.handle("mail", task -> send()));
      acme.enqueue(NewTask.of("mail", "{}"));
      rota.drain();
    }

    private static void send() throws IOException {
      throw new IOException("no route to the mail server");
    }
  }

  @Test
  void theTestFailsWithTheErrorOfItsHandler() {
    Failure failure = new Failure();
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(
                DiscoverySelectors.selectMethod(
                    Sample.class, "sends", "dev.rota.junit.TestRota, dev.rota.Tenant"))
            .build();
    LauncherFactory.create().execute(request, failure);
    assertThat(failure.of)
        .isInstanceOf(IOException.class)
        .hasMessage("no route to the mail server");
    assertThat(failure.of.getStackTrace()[0].getMethodName()).isEqualTo("send");
  }

  /** Keeps the error with which a test failed. */
  private static final class Failure implements TestExecutionListener {
    private Throwable of = new AssertionError("the test has not failed");

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
      result.getThrowable().ifPresent(error -> of = error);
    }
  }
}
