package dev.rota.cli.tenant;

import dev.rota.cli.common.DurationConverter;
import dev.rota.cli.common.SizeConverter;
import dev.rota.history.RetentionPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The changes of a tenant's policy: each option is one change. */
final class PolicyOptions {

  static final String YES = "yes";
  static final String NO = "no";
  private static final String ON = "on";
  private static final String OFF = "off";

  @Option(
      names = "--keep-history",
      paramLabel = "DURATION",
      converter = KeepHistory.class,
      description = {
        "How long sealed segments of its history are kept in the database, such as 30d;",
        "'default' for as long as the daemon's --keep-history says."
      })
  private @Nullable UnaryOperator<RetentionPolicy> keepHistory;

  @Option(
      names = "--archive",
      paramLabel = "yes|no|default",
      converter = Archive.class,
      description = {
        "Whether segments are archived before they are dropped;",
        "'default' if the daemon has an archive."
      })
  private @Nullable UnaryOperator<RetentionPolicy> archive;

  @Option(
      names = "--keep-archive",
      paramLabel = "DURATION",
      converter = KeepArchive.class,
      description = {
        "How long archived segments are kept, such as 365d, counted from when they were sealed;",
        "'default' for as long as the daemon's --keep-archive says."
      })
  private @Nullable UnaryOperator<RetentionPolicy> keepArchive;

  @Option(
      names = "--legal-hold",
      paramLabel = "on|off",
      converter = LegalHold.class,
      description = "While on, nothing of the tenant is dropped or deleted.")
  private @Nullable UnaryOperator<RetentionPolicy> legalHold;

  @Option(
      names = "--segment-age",
      paramLabel = "DURATION",
      converter = SegmentAge.class,
      description = "The age at which a small segment is sealed, such as 1h, or 'default'.")
  private @Nullable UnaryOperator<RetentionPolicy> segmentAge;

  @Option(
      names = "--segment-bytes",
      paramLabel = "SIZE",
      converter = SegmentBytes.class,
      description = {
        "The size from which on a segment is sealed at the next rotation time, such as 64MB;",
        "0 for every rotation time, or 'default'."
      })
  private @Nullable UnaryOperator<RetentionPolicy> segmentBytes;

  boolean isGiven() {
    return !changes().isEmpty();
  }

  RetentionPolicy apply(RetentionPolicy policy) {
    RetentionPolicy changed = policy;
    for (UnaryOperator<RetentionPolicy> change : changes()) {
      changed = change.apply(changed);
    }
    return changed;
  }

  /** Formats a switch as the option takes it. */
  static String switched(boolean on) {
    return on ? ON : OFF;
  }

  private List<UnaryOperator<RetentionPolicy>> changes() {
    return Stream.of(keepHistory, archive, keepArchive, legalHold, segmentAge, segmentBytes)
        .filter(Objects::nonNull)
        .map(Objects::requireNonNull)
        .toList();
  }

  /** A value, or the word for the daemon's settings. */
  private abstract static class Change<T>
      implements ITypeConverter<UnaryOperator<RetentionPolicy>> {
    private final ITypeConverter<T> values;
    private final BiFunction<RetentionPolicy, T, RetentionPolicy> change;
    private final @Nullable UnaryOperator<RetentionPolicy> byDefault;

    Change(
        ITypeConverter<T> values,
        BiFunction<RetentionPolicy, T, RetentionPolicy> change,
        @Nullable UnaryOperator<RetentionPolicy> byDefault) {
      this.values = values;
      this.change = change;
      this.byDefault = byDefault;
    }

    @Override
    public UnaryOperator<RetentionPolicy> convert(String value) throws Exception {
      if (byDefault != null && value.equals(TenantPolicyCommand.DEFAULT)) {
        return byDefault;
      }
      T setting = values.convert(value);
      try {
        RetentionPolicy unused = change.apply(RetentionPolicy.defaults(), setting);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(e.getMessage());
      }
      return policy -> change.apply(policy, setting);
    }
  }

  private static boolean choice(String value, String yes, String no) {
    if (!value.equals(yes) && !value.equals(no)) {
      throw new TypeConversionException("'" + value + "' is neither " + yes + " nor " + no);
    }
    return value.equals(yes);
  }

  private static final class KeepHistory extends Change<Duration> {
    KeepHistory() {
      super(
          new DurationConverter(),
          RetentionPolicy::keepHistory,
          RetentionPolicy::keepHistoryByDefault);
    }
  }

  private static final class Archive extends Change<Boolean> {
    Archive() {
      super(
          value -> choice(value, YES, NO),
          RetentionPolicy::archive,
          RetentionPolicy::archiveByDefault);
    }
  }

  private static final class KeepArchive extends Change<Duration> {
    KeepArchive() {
      super(
          new DurationConverter(),
          RetentionPolicy::keepArchive,
          RetentionPolicy::keepArchiveByDefault);
    }
  }

  private static final class LegalHold extends Change<Boolean> {
    LegalHold() {
      super(value -> choice(value, ON, OFF), RetentionPolicy::legalHold, null);
    }
  }

  private static final class SegmentAge extends Change<Duration> {
    SegmentAge() {
      super(
          new DurationConverter(),
          RetentionPolicy::segmentAge,
          RetentionPolicy::segmentAgeByDefault);
    }
  }

  private static final class SegmentBytes extends Change<Long> {
    SegmentBytes() {
      super(
          new SizeConverter(),
          RetentionPolicy::segmentBytes,
          RetentionPolicy::segmentBytesByDefault);
    }
  }
}
