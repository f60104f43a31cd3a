package dev.rota.dashboard;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Checks what the module depends on, and what it shows. */
class DashboardModuleTest {

  private static final JavaClasses MODULE =
      new ClassFileImporter().importPath(Path.of("target", "classes"));

  @Test
  void needsTheApiOfRota() {
    classes()
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "java..",
            "dev.rota",
            "dev.rota.admin",
            "dev.rota.audit",
            "dev.rota.control",
            "dev.rota.graph",
            "dev.rota.history",
            "dev.rota.insight",
            "dev.rota.limits",
            "dev.rota.schedule",
            "dev.rota.dashboard..",
            "com.fasterxml.jackson.annotation",
            "com.github.benmanes.caffeine.cache",
            "com.sun.net.httpserver",
            "gg.jte..",
            "jakarta.servlet..",
            "org.jspecify..",
            "org.slf4j..",
            "tools.jackson..")
        .check(MODULE);
  }

  @Test
  void showsItsApi() {
    assertThat(MODULE)
        .filteredOn(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
        .filteredOn(JavaClass::isTopLevelClass)
        .filteredOn(type -> type.getPackageName().equals("dev.rota.dashboard"))
        .extracting(JavaClass::getSimpleName)
        .containsExactlyInAnyOrder(
            "Dashboard",
            "DashboardAccess",
            "DashboardRequest",
            "DashboardResponse",
            "DashboardServer",
            "DashboardServlet",
            "PayloadRenderer",
            "Right",
            "Viewer");
  }
}
