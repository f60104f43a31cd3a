package dev.rota.opentelemetry;

import io.opentelemetry.api.common.AttributeKey;
import org.jspecify.annotations.Nullable;

/**
 * Names of the semantic conventions of OpenTelemetry for messaging, 1.45. Those of Rota itself
 * begin with {@code rota}.
 */
final class Conventions {

  /** The name of the tracer and the meter. */
  static final String SCOPE = "dev.rota";

  static final AttributeKey<String> SYSTEM = AttributeKey.stringKey("messaging.system");
  static final AttributeKey<String> OPERATION_NAME =
      AttributeKey.stringKey("messaging.operation.name");
  static final AttributeKey<String> OPERATION_TYPE =
      AttributeKey.stringKey("messaging.operation.type");
  static final AttributeKey<String> DESTINATION =
      AttributeKey.stringKey("messaging.destination.name");
  static final AttributeKey<String> MESSAGE_ID = AttributeKey.stringKey("messaging.message.id");
  static final AttributeKey<Long> BATCH_COUNT =
      AttributeKey.longKey("messaging.batch.message_count");
  static final AttributeKey<String> ERROR_TYPE = AttributeKey.stringKey("error.type");
  static final AttributeKey<String> TENANT = AttributeKey.stringKey("rota.tenant");
  static final AttributeKey<Long> ATTEMPT = AttributeKey.longKey("rota.task.attempt");

  /** The value of {@link #SYSTEM}. */
  static final String ROTA = "rota";

  /** The value of {@link #ERROR_TYPE} where no exception is known. */
  private static final String OTHER = "_OTHER";

  private Conventions() {}

  /** The type of an error. */
  static String typeOf(Throwable error) {
    return error.getClass().getName();
  }

  /** The type of the error in an error text, which begins with the class of the exception. */
  static String typeOf(String error) {
    int end = 0;
    while (end < error.length() && isPartOfName(error.charAt(end))) {
      end++;
    }
    return end == 0 ? OTHER : error.substring(0, end);
  }

  private static boolean isPartOfName(char c) {
    return Character.isJavaIdentifierPart(c) || c == '.';
  }

  /** The type of a failure that may have happened; null if it did not. */
  static @Nullable String otherIf(boolean failed) {
    return failed ? OTHER : null;
  }
}
