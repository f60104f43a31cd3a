package dev.rota.statements;

import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.rota.internal.db.Sql;
import java.lang.reflect.Field;
import java.util.List;

/** The constants of all classes that hold a statement. */
final class Constants {

  private Constants() {}

  static List<Sql> all() {
    return new ClassFileImporter()
        .withImportOption(new ImportOption.DoNotIncludeTests()).importPackages("dev.rota").stream()
            .flatMap(type -> type.getFields().stream())
            .filter(field -> field.getModifiers().contains(JavaModifier.STATIC))
            .filter(field -> field.getRawType().isEquivalentTo(Sql.class))
            .map(Constants::value)
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
