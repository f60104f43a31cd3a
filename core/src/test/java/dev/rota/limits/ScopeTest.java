package dev.rota.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the texts of scopes, and what a scope can be. */
class ScopeTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "all",
        "kind:stripe.charge",
        "kind:a/b:c",
        "plan:pro",
        "plan:pro/kind:mail",
        "tenant:acme",
        "tenant:Ærø & Söhne/2",
        "tenant:50% off",
        "tenant:acme/kind:crawl/host",
        "tenant:acme/priority:-5"
      })
  void aTextIsReadAsItIsPrinted(String text) {
    assertThat(Scope.parse(text)).hasToString(text).isEqualTo(Scope.parse(text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"a/kind:b", "a/priority:1", "a%2Fb", "a%25b", "100%", "a\n/kind:b", "%252F/kind:"})
  void anyNameOfATenantCanBeWritten(String name) {
    Scope scope = Scope.tenant(name);
    assertThat(Scope.parse(scope.toString())).isEqualTo(scope);
    assertThat(Scope.parse(scope.ofKind("k").toString())).isEqualTo(scope.ofKind("k"));
    assertThat(Scope.parse(scope.ofPriority(3).toString())).isEqualTo(scope.ofPriority(3));
  }

  @Test
  void theFirstPartEndsTheName() {
    Scope scope = Scope.parse("tenant:a/kind:b/kind:c");
    assertThat(scope).isEqualTo(Scope.tenant("a").ofKind("b/kind:c"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "ALL", "acme", "tenant", "queue:x", "plan:pro/priority:1", "all/kind:x"})
  void theMessageListsTheForms(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Scope.parse(text))
        .withMessage(
            "scope is '"
                + text
                + "'; it must be all, kind:K, plan:P, plan:P/kind:K, tenant:T, tenant:T/kind:K or"
                + " tenant:T/priority:N");
  }

  @Test
  void malformedPartsAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Scope.parse("kind:a b"))
        .withMessageContaining("kind is 'a b'; it takes 1 to 128 characters");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Scope.parse("plan:a/b"))
        .withMessageContaining("plan is 'a/b'; it takes 1 to 64 characters");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Scope.parse("tenant:"))
        .withMessageContaining("a name has 1 to 200");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Scope.parse("tenant:a/priority:high"))
        .withMessageContaining("priority is high; it must be -1000 to 1000");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Scope.tenant("a").ofPriority(1_001))
        .withMessageContaining("priority is 1001");
    assertThatIllegalStateException()
        .isThrownBy(() -> Scope.plan("pro").ofPriority(1))
        .withMessageContaining("is not a tenant");
    assertThatIllegalStateException()
        .isThrownBy(() -> Scope.kind("a").ofKind("b"))
        .withMessageContaining("takes no kind besides its own");
  }

  @Test
  void tiersHaveBounds() {
    Limits both = Limits.none().weight(2).tier(-10);
    assertThat(both.tier()).contains(-10);
    assertThat(both.weightByDefault()).isEqualTo(Limits.none().tier(-10));
    assertThat(both.tierByDefault()).isEqualTo(Limits.none().weight(2));
    for (int tier : new int[] {-11, 11, Integer.MIN_VALUE}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> Limits.none().tier(tier))
          .withMessage("tier is " + tier + "; it must be -10 to 10");
    }
  }

  @Test
  void weightsHaveBounds() {
    assertThat(Limits.none().weight(2.5).weight()).contains(2.5);
    assertThat(Limits.none().weight(2.5).weightByDefault()).isEqualTo(Limits.none());
    for (double weight : new double[] {0, -1, 1_001, Double.NaN}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> Limits.none().weight(weight))
          .withMessage("weight is " + weight + "; it must be 0.001 to 1000");
    }
  }
}
