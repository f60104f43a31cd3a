package dev.rota;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.Serializable;
import org.junit.jupiter.api.Test;

/** Tests that daemon and command create no objects from bytes or texts that name their types. */
class SerializationTest {

  private static final JavaClasses ROTA =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .withImportOption(location -> !location.contains("-tests.jar"))
          .importPackages(
              "dev.rota.archive",
              "dev.rota.cli",
              "dev.rota.daemon",
              "dev.rota.erasure",
              "dev.rota.transfer");

  @Test
  void noObjectIsWrittenOrReadByJava() {
    assertThat(ROTA).hasSizeGreaterThan(200);
    noClasses()
        .should()
        .dependOnClassesThat()
        .haveNameMatching(
            "java\\.io\\.(Object(In|Out)putStream|ObjectInputFilter|Externalizable).*")
        .orShould()
        .dependOnClassesThat()
        .resideInAnyPackage("java.beans..", "java.rmi..")
        .check(ROTA);
    // What a library makes serializable, we need not.
    assertThat(ROTA)
        .filteredOn(type -> !type.isAssignableTo(Throwable.class) && !type.isEnum())
        .filteredOn(
            type ->
                type.getRawInterfaces().stream()
                    .anyMatch(other -> other.isEquivalentTo(Serializable.class)))
        .isEmpty();
  }

  @Test
  void noJsonNamesTheTypeOfWhatIsRead() {
    noClasses()
        .should()
        .callMethodWhere(
            DescribedPredicate.describe(
                "lets JSON choose types",
                call ->
                    call.getName()
                        .matches("(activate|enable|set)DefaultTyping.*|polymorphicTypeValidator")))
        .orShould()
        .dependOnClassesThat()
        .haveNameMatching("com\\.fasterxml\\.jackson\\.annotation\\.JsonTypeInfo.*")
        .check(ROTA);
  }
}
