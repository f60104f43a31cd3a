package dev.rota.spring;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.rota.internal.DefaultRota;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Checks what the module depends on, and what it shows. */
class SpringBootModuleTest {

  private static final JavaClasses MODULE =
      new ClassFileImporter().importPath(Path.of("target", "classes"));

  @Test
  void needsTheApiOfRotaAndItsDoorForIntegrations() {
    classes()
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage(
                    "java..",
                    "javax.sql",
                    "dev.rota",
                    "dev.rota.admin",
                    "dev.rota.daemon",
                    "dev.rota.dashboard",
                    "dev.rota.jackson",
                    "dev.rota.junit",
                    "dev.rota.micrometer",
                    "dev.rota.opentelemetry",
                    "dev.rota.schedule",
                    "dev.rota.spi",
                    "dev.rota.spring",
                    "dev.rota.typed",
                    "io.micrometer.core.instrument",
                    "io.opentelemetry.api",
                    "jakarta.servlet",
                    "org.jspecify..",
                    "org.slf4j",
                    "org.springframework..",
                    "tools.jackson.databind.json")
                .or(belongToAnyOf(DefaultRota.class)))
        .check(MODULE);
  }

  @Test
  void showsAnnotationsAndCustomizers() {
    assertThat(MODULE)
        .filteredOn(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
        .filteredOn(JavaClass::isTopLevelClass)
        .extracting(JavaClass::getSimpleName)
        .containsExactlyInAnyOrder(
            "AutoConfigureRota", "RotaCustomizer", "RotaHandler", "RotaSchedule");
  }
}
