package dev.rota.micrometer;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Checks what the module depends on, and what it shows. */
class MicrometerModuleTest {

  private static final JavaClasses MODULE =
      new ClassFileImporter().importPath(Path.of("target", "classes"));

  @Test
  void needsTheApiOfRotaAndMicrometer() {
    classes()
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "java..",
            "dev.rota",
            "dev.rota.insight",
            "dev.rota.spi",
            "dev.rota.micrometer",
            "org.jspecify..",
            "org.slf4j..",
            "io.micrometer.core.instrument..")
        .check(MODULE);
  }

  @Test
  void showsOneClass() {
    assertThat(MODULE)
        .filteredOn(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
        .filteredOn(JavaClass::isTopLevelClass)
        .extracting(JavaClass::getSimpleName)
        .containsExactly("RotaMetrics");
  }
}
