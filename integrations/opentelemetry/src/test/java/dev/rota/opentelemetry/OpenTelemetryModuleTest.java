package dev.rota.opentelemetry;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Checks what the module depends on, and what it shows. */
class OpenTelemetryModuleTest {

  private static final JavaClasses MODULE =
      new ClassFileImporter().importPath(Path.of("target", "classes"));

  @Test
  void needsTheApiOfRotaAndOpenTelemetry() {
    classes()
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "java..",
            "dev.rota",
            "dev.rota.spi",
            "dev.rota.opentelemetry",
            "org.jspecify..",
            "io.opentelemetry.api..",
            "io.opentelemetry.context..")
        .check(MODULE);
  }

  @Test
  void showsOneClass() {
    assertThat(MODULE)
        .filteredOn(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
        .filteredOn(JavaClass::isTopLevelClass)
        .extracting(JavaClass::getSimpleName)
        .containsExactly("RotaTelemetry");
  }
}
