package dev.rota.statements;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.rota.internal.sql.Sql;
import java.lang.reflect.Field;
import java.util.List;

/** The constants of all classes that hold a statement. */
final class Constants {

  /** How the names of generators end, which make statements of texts in Java. */
  static final String GENERATOR = "Ddl";

  /** Read once, and without the classes of others: reading those takes most of the time. */
  private static final List<JavaField> FIELDS =
      ArchConfiguration.withThreadLocalScope(
          configuration -> {
            configuration.setResolveMissingDependenciesFromClassPath(false);
            return fields();
          });

  private Constants() {}

  static List<Sql> all() {
    return FIELDS.stream().map(Constants::value).toList();
  }

  /** Those whose statement stands in a file. */
  static List<Sql> named() {
    return FIELDS.stream()
        .filter(field -> !field.getOwner().getSimpleName().endsWith(GENERATOR))
        .map(Constants::value)
        .toList();
  }

  private static List<JavaField> fields() {
    return new ClassFileImporter()
        .withImportOption(new ImportOption.DoNotIncludeTests()).importPackages("dev.rota").stream()
            .flatMap(type -> type.getFields().stream())
            .filter(field -> field.getModifiers().contains(JavaModifier.STATIC))
            .filter(field -> field.getRawType().isEquivalentTo(Sql.class))
            .toList();
  }

  private static Sql value(JavaField field) {
    try {
      Field constant = field.reflect();
      constant.setAccessible(true);
      return (Sql) constant.get(null);
    } catch (IllegalAccessException e) {
      throw new AssertionError("cannot read " + field.getFullName(), e);
    }
  }
}
