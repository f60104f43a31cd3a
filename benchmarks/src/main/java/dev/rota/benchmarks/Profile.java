package dev.rota.benchmarks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** Selections of benchmarks and parameters: several runs of JMH, each over its own parameters. */
enum Profile {

  /** All benchmarks that the command line selects. */
  NONE {
    @Override
    List<Options> runs(Options given) {
      return List.of(given);
    }
  },

  /** The benchmarks of the throughput targets, in about ten minutes. */
  QUICK {
    @Override
    List<Options> runs(Options given) {
      return List.of(
          warm(given, "BulkEnqueueBenchmark", 3, "contender=rota,floor"),
          warm(given, "BulkEnqueueBenchmark", 1, "contender=dbScheduler"),
          warm(given, "SingleEnqueueBenchmark", 3, "contender=rota,original", "tasks=16000"),
          warm(given, "LifecycleBenchmark", 3, "contender=rota,floor"),
          warm(
              given,
              "LifecycleBenchmark",
              1,
              "contender=rota,dbScheduler,skipLocked",
              "tasks=20000"),
          warm(
              given,
              "LifecycleBenchmark",
              2,
              "contender=rota,floor,floorOneTenant",
              "batch=10",
              "tenants=1000",
              "tasks=50000"),
          warm(given, "MixedBenchmark", 1, "seconds=5", "mostPending=50000"),
          warm(given, "ClaimDepthBenchmark", 3, "consumed=0,500000"),
          warm(given, "DiscoveryBenchmark", 3, "tenants=1000"),
          warm(given, "RotationBenchmark", 2));
    }

    /** Shots after a warm-up of ten seconds, and one shot whose figures do not count. */
    private static Options warm(Options given, String benchmark, int shots, String... parameters) {
      List<String> all = new ArrayList<>(List.of(parameters));
      all.add("warmup=10");
      return shots(given, benchmark, 1, shots, all.toArray(String[]::new));
    }
  },

  /**
   * All benchmarks once with next to no data, in this JVM: shows that they run, and measures
   * nothing.
   */
  SMOKE {
    @Override
    List<Options> runs(Options given) {
      Options tiny =
          shots(
              given,
              ".*",
              0,
              1,
              "tenants=10",
              "batch=10",
              "threads=2",
              "tasks=1000",
              "consumed=0,1000",
              "warmup=0",
              "seconds=1");
      return List.of(
          new OptionsBuilder()
              .parent(tiny)
              .forks(0)
              .measurementTime(TimeValue.milliseconds(100))
              .build());
    }

    @Override
    boolean measures() {
      return false;
    }
  };

  /** The runs of JMH, each with the other options of the command line. */
  abstract List<Options> runs(Options given);

  /** Whether its figures are measurements. */
  boolean measures() {
    return true;
  }

  static Profile named(@Nullable String name) {
    if (name == null) {
      return NONE;
    }
    return Arrays.stream(values())
        .filter(profile -> profile.toString().equals(name))
        .findFirst()
        .orElseThrow(
            () -> new IllegalArgumentException("profile is " + name + "; there are " + names()));
  }

  private static String names() {
    return Arrays.stream(values()).map(Profile::toString).collect(Collectors.joining(", "));
  }

  private static Options shots(
      Options given, String benchmark, int warmups, int shots, String... parameters) {
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .parent(given)
            .include(benchmark)
            .shouldFailOnError(true)
            .warmupIterations(warmups)
            .measurementIterations(shots);
    for (String parameter : parameters) {
      String[] parts = parameter.split("=", 2);
      options.param(parts[0], parts[1].split(","));
    }
    return options.build();
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
