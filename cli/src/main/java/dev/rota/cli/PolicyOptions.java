package dev.rota.cli;

import dev.rota.TenantPolicy;
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

/** What of a tenant's policy is to change: each option one change. */
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
  private @Nullable UnaryOperator<TenantPolicy> keepHistory;

  @Option(
      names = "--archive",
      paramLabel = "yes|no|default",
      converter = Archive.class,
      description = {
        "Whether segments are archived before they are dropped;",
        "'default' if the daemon has an archive."
      })
  private @Nullable UnaryOperator<TenantPolicy> archive;

  @Option(
      names = "--keep-archive",
      paramLabel = "DURATION",
      converter = KeepArchive.class,
      description = {
        "How long archived segments are kept, such as 365d, counted from when they were sealed;",
        "'default' for as long as the daemon's --keep-archive says."
      })
  private @Nullable UnaryOperator<TenantPolicy> keepArchive;

  @Option(
      names = "--legal-hold",
      paramLabel = "on|off",
      converter = LegalHold.class,
      description = "While on, nothing of the tenant is dropped or deleted.")
  private @Nullable UnaryOperator<TenantPolicy> legalHold;

  @Option(
      names = "--segment-age",
      paramLabel = "DURATION",
      converter = SegmentAge.class,
      description = "The age at which a small segment is sealed, such as 1h, or 'default'.")
  private @Nullable UnaryOperator<TenantPolicy> segmentAge;

  @Option(
      names = "--segment-bytes",
      paramLabel = "SIZE",
      converter = SegmentBytes.class,
      description = {
        "The size from which on a segment is sealed at the next rotation time, such as 64MB;",
        "0 for every rotation time, or 'default'."
      })
  private @Nullable UnaryOperator<TenantPolicy> segmentBytes;

  boolean isGiven() {
    return !changes().isEmpty();
  }

  TenantPolicy apply(TenantPolicy policy) {
    TenantPolicy changed = policy;
    for (UnaryOperator<TenantPolicy> change : changes()) {
      changed = change.apply(changed);
    }
    return changed;
  }

  /** As the option takes it. */
  static String switched(boolean on) {
    return on ? ON : OFF;
  }

  private List<UnaryOperator<TenantPolicy>> changes() {
    return Stream.of(keepHistory, archive, keepArchive, legalHold, segmentAge, segmentBytes)
        .filter(Objects::nonNull)
        .map(Objects::requireNonNull)
        .toList();
  }

  /** A value, or the word for what the daemon's settings say. */
  private abstract static class Change<T> implements ITypeConverter<UnaryOperator<TenantPolicy>> {
    private final ITypeConverter<T> values;
    private final BiFunction<TenantPolicy, T, TenantPolicy> change;
    private final @Nullable UnaryOperator<TenantPolicy> byDefault;

    Change(
        ITypeConverter<T> values,
        BiFunction<TenantPolicy, T, TenantPolicy> change,
        @Nullable UnaryOperator<TenantPolicy> byDefault) {
      this.values = values;
      this.change = change;
      this.byDefault = byDefault;
    }

    @Override
    public UnaryOperator<TenantPolicy> convert(String value) throws Exception {
      if (byDefault != null && value.equals(TenantPolicyCommand.DEFAULT)) {
        return byDefault;
      }
      T setting = values.convert(value);
      try {
        TenantPolicy unused = change.apply(TenantPolicy.defaults(), setting);
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
      super(new DurationConverter(), TenantPolicy::keepHistory, TenantPolicy::keepHistoryByDefault);
    }
  }

  private static final class Archive extends Change<Boolean> {
    Archive() {
      super(value -> choice(value, YES, NO), TenantPolicy::archive, TenantPolicy::archiveByDefault);
    }
  }

  private static final class KeepArchive extends Change<Duration> {
    KeepArchive() {
      super(new DurationConverter(), TenantPolicy::keepArchive, TenantPolicy::keepArchiveByDefault);
    }
  }

  private static final class LegalHold extends Change<Boolean> {
    LegalHold() {
      super(value -> choice(value, ON, OFF), TenantPolicy::legalHold, null);
    }
  }

  private static final class SegmentAge extends Change<Duration> {
    SegmentAge() {
      super(new DurationConverter(), TenantPolicy::segmentAge, TenantPolicy::segmentAgeByDefault);
    }
  }

  private static final class SegmentBytes extends Change<Long> {
    SegmentBytes() {
      super(new SizeConverter(), TenantPolicy::segmentBytes, TenantPolicy::segmentBytesByDefault);
    }
  }
}
