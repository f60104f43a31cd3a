package dev.rota.archive.internal.store;

import java.util.Map;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.SdkException;

/** Explains errors of an S3 store, with the remedy. */
final class S3Errors {

  private static final String MISSING_BUCKET = "NoSuchBucket";
  private static final int FORBIDDEN = 403;
  private static final int SERVER = 500;

  private static final Map<String, String> ADVICE =
      Map.ofEntries(
          Map.entry(MISSING_BUCKET, "the bucket does not exist; create it, or correct its name"),
          Map.entry("InvalidAccessKeyId", "the store does not know the access key"),
          Map.entry("SignatureDoesNotMatch", "the secret access key is wrong"),
          Map.entry("ExpiredToken", "the session token has expired"),
          Map.entry(
              "AccessDenied",
              "the credentials may not do it; they need GetObject, PutObject, DeleteObject,"
                  + " AbortMultipartUpload, ListBucket and ListBucketMultipartUploads"),
          Map.entry(
              "RequestTimeTooSkewed",
              "the clock of this machine differs too much from that of the store; set it by NTP"),
          Map.entry("PermanentRedirect", "the bucket is in another region; set the region"),
          Map.entry("AuthorizationHeaderMalformed", "the region is not that of the bucket"),
          Map.entry("SlowDown", "the store asks for fewer requests; it is tried again later"),
          Map.entry("QuotaExceeded", "the store is full"),
          Map.entry("InsufficientStorage", "the store is full"));

  private S3Errors() {}

  static boolean isMissingBucket(AwsServiceException e) {
    return MISSING_BUCKET.equals(code(e));
  }

  /** Explains an error in one sentence. */
  static String explain(SdkException e) {
    return e instanceof AwsServiceException refused ? explainRefusal(refused) : explainSilence(e);
  }

  private static String explainRefusal(AwsServiceException e) {
    String code = code(e);
    String advice = ADVICE.get(code);
    if (advice == null) {
      advice = byNumber(e);
    }
    return advice + " (" + (code.isEmpty() ? "" : code + ", ") + "HTTP " + e.statusCode() + ")";
  }

  private static String byNumber(AwsServiceException e) {
    if (e.statusCode() == FORBIDDEN) {
      return "the store refuses these credentials, or the clock of this machine is wrong";
    }
    return e.statusCode() >= SERVER
        ? "the store has trouble of its own; it is tried again later"
        : "the store refused";
  }

  /** Explains an error without an answer of the store. */
  private static String explainSilence(SdkException e) {
    Throwable root = e;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    String message = String.valueOf(root.getMessage());
    if (String.valueOf(e.getMessage()).contains("load credentials")) {
      return "no credentials were found; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or"
          + " use another source of the AWS SDK's chain";
    }
    return "no complete answer came ("
        + message.lines().findFirst().orElse("no reason")
        + "); check endpoint and network";
  }

  private static String code(AwsServiceException e) {
    return e.awsErrorDetails() == null || e.awsErrorDetails().errorCode() == null
        ? ""
        : e.awsErrorDetails().errorCode();
  }
}
