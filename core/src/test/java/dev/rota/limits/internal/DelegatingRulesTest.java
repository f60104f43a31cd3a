package dev.rota.limits.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.rota.internal.claim.TaskRules;
import dev.rota.internal.claim.TaskRules.Bound;
import dev.rota.internal.worker.RuleFollower;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that types that stand before rules pass on every call: a default answers for no rule. */
class DelegatingRulesTest {

  static Stream<Arguments> types() {
    return Stream.of(
        arguments(TaskRules.class, TaskRules.NONE.only(tenant -> true).getClass()),
        arguments(TaskRules.Listener.class, RuleFollower.class),
        arguments(Bound.class, SlotAndStart.class));
  }

  @ParameterizedTest
  @MethodSource("types")
  void everyCallIsPassedOn(Class<?> asked, Class<?> type) {
    List<String> calls =
        Arrays.stream(asked.getDeclaredMethods())
            .filter(method -> !Modifier.isStatic(method.getModifiers()))
            // That is how the rules of a worker come to be.
            .filter(method -> !Set.of("of", "only").contains(method.getName()))
            .filter(method -> Modifier.isPublic(method.getModifiers()) && !method.isSynthetic())
            .map(DelegatingRulesTest::signature)
            .toList();
    assertThat(Arrays.stream(type.getDeclaredMethods()).map(DelegatingRulesTest::signature))
        .containsAll(calls);
  }

  private static String signature(Method method) {
    return method.getName() + Arrays.toString(method.getParameterTypes());
  }
}
