package dev.rota.jackson;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.theClass;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.rota.testing.Documents;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Checks what the module depends on: an application may lack either Jackson. */
class JacksonModuleTest {

  private static final String JACKSON_2 = "com.fasterxml.jackson..";
  private static final String JACKSON_3 = "tools.jackson..";

  private static final JavaClasses MODULE =
      new ClassFileImporter().importPath(Path.of("target", "classes"));

  @Test
  void eachCodecNeedsItsJacksonAlone() {
    theClass(JacksonCodec.class)
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "java..", "dev.rota.spi", "dev.rota.jackson", "org.jspecify..", JACKSON_3)
        .check(MODULE);
    theClass(Jackson2Codec.class)
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "java..", "dev.rota.spi", "dev.rota.jackson", "org.jspecify..", JACKSON_2)
        .check(MODULE);
    noClasses()
        .that()
        .haveSimpleNameNotEndingWith("Codec")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(JACKSON_2, JACKSON_3)
        .check(MODULE);
  }

  @Test
  void publicTypesAreTheCodecs() {
    assertThat(MODULE).hasSizeGreaterThan(2);
    classes().that().arePublic().should().haveSimpleNameEndingWith("Codec").check(MODULE);
  }

  /** Texts in the database could otherwise choose the classes of an application. */
  @Test
  void noTextNamesTheTypeOfWhatIsRead() {
    noClasses()
        .should()
        .callMethodWhere(
            describe(
                "lets JSON choose types",
                call -> call.getName().matches("(activate|enable|set)DefaultTyping.*")))
        .check(MODULE);
  }

  @Test
  void jackson2IsOptional() {
    assertThat(Documents.text("integrations/jackson/pom.xml"))
        .containsPattern(
            "<groupId>com\\.fasterxml\\.jackson\\.core</groupId>\\s*"
                + "<artifactId>jackson-databind</artifactId>\\s*<optional>true</optional>");
  }
}
