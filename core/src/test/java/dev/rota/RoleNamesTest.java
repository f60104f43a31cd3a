package dev.rota;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.rota.admin.Roles;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the names of roles, which become part of statements. */
class RoleNamesTest {

  @ParameterizedTest
  @ValueSource(strings = {"", "Rota", "1rota", "pg", "rota-x", "a\"; drop role x; --"})
  void refusesMalformedNames(String prefix) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Roles.withPrefix(prefix))
        .withMessageContaining("role is '");
  }

  @Test
  void refusesOneNameForTwoRoles() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Roles("a", "b", "b", "c", "d"))
        .withMessageContaining("five different names");
  }
}
