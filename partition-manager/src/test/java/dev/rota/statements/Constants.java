package dev.rota.statements;

import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.rota.internal.db.SqlTemplate;
import java.lang.reflect.Field;
import java.util.List;

/** The constants of all classes that hold a statement. */
final class Constants {

  private Constants() {}

  static List<SqlTemplate> all() {
    return new ClassFileImporter()
        .withImportOption(new ImportOption.DoNotIncludeTests()).importPackages("dev.rota").stream()
            .flatMap(type -> type.getFields().stream())
            .filter(field -> field.getModifiers().contains(JavaModifier.STATIC))
            .filter(field -> field.getRawType().isEquivalentTo(SqlTemplate.class))
            .map(Constants::value)
            .toList();
  }

  private static SqlTemplate value(JavaField field) {
    try {
      Field constant = field.reflect();
      constant.setAccessible(true);
      return (SqlTemplate) constant.get(null);
    } catch (IllegalAccessException e) {
      throw new AssertionError("cannot read " + field.getFullName(), e);
    }
  }
}
