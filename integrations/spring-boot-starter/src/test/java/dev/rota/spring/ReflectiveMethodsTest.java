package dev.rota.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.annotation.ReflectiveRuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;

/** Tests what Spring tells native-image of the beans whose methods workers and schedules call. */
class ReflectiveMethodsTest {

  @Test
  void annotatedMethodsAreForReflection() throws NoSuchMethodException {
    RuntimeHints hints = new RuntimeHints();
    new ReflectiveRuntimeHintsRegistrar().registerRuntimeHints(hints, Mails.class);
    assertThat(isListed("send", hints)).isTrue();
    assertThat(isListed("report", hints)).isTrue();
    assertThat(isListed("other", hints)).isFalse();
  }

  private static boolean isListed(String name, RuntimeHints hints) throws NoSuchMethodException {
    Method method = Mails.class.getDeclaredMethod(name);
    return RuntimeHintsPredicates.reflection().onMethodInvocation(method).test(hints);
  }

  /** A bean of an application. */
  static final class Mails {

    @RotaHandler("mail.send")
    void send() {}

    @RotaSchedule(name = "report", tenant = "acme", cron = "0 6 * * *")
    void report() {}

    void other() {}
  }
}
