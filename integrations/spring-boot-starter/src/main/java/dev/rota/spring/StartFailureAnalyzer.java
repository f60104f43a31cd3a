package dev.rota.spring;

import dev.rota.SchemaMissingException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Tells the developer what to do when Rota ends the start of the application. */
final class StartFailureAnalyzer {

  private StartFailureAnalyzer() {}

  /** Explains annotated methods that cannot run tasks. */
  static final class OfHandlers extends AbstractFailureAnalyzer<InvalidHandlerException> {

    @Override
    protected FailureAnalysis analyze(Throwable root, InvalidHandlerException cause) {
      return new FailureAnalysis(String.valueOf(cause.getMessage()), cause.action(), cause);
    }
  }

  /** Explains a schema that is missing or old. */
  static final class OfSchema extends AbstractFailureAnalyzer<SchemaMissingException> {

    @Override
    protected FailureAnalysis analyze(Throwable root, SchemaMissingException cause) {
      return new FailureAnalysis(
          "The database is not ready for Rota: " + cause.getMessage(),
          "Set rota.migrate=true, or run `rota migrate` before the application starts.",
          cause);
    }
  }

  /** Explains several data sources without a choice. */
  static final class OfDataSources extends AbstractFailureAnalyzer<AmbiguousDataSourceException> {

    @Override
    protected FailureAnalysis analyze(Throwable root, AmbiguousDataSourceException cause) {
      return new FailureAnalysis(
          String.valueOf(cause.getMessage()),
          "Set rota.datasource to one of these names, or mark one of the beans with @Primary.",
          cause);
    }
  }

  /** Explains a jOOQ that the running JDK cannot load. */
  static final class OfJooq extends AbstractFailureAnalyzer<UnsupportedClassVersionError> {

    static final String NEWEST_FOR_17 = "3.19.38";

    @Override
    protected @Nullable FailureAnalysis analyze(
        Throwable root, UnsupportedClassVersionError cause) {
      String message = String.valueOf(cause.getMessage());
      if (!message.contains("org/jooq/")) {
        return null;
      }
      return new FailureAnalysis(
          "The jOOQ that Spring Boot manages needs JDK 21, and this is JDK "
              + Runtime.version().feature()
              + ".",
          "Set the property jooq.version to "
              + NEWEST_FOR_17
              + " in your build, or run the application on JDK 21 or newer.",
          cause);
    }
  }
}
