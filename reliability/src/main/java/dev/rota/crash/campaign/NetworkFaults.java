package dev.rota.crash.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.DeliveryMode;
import dev.rota.crash.server.CutPoint;
import dev.rota.crash.server.FaultProxy;
import dev.rota.crash.server.ProxyFlow;
import dev.rota.processes.Waiting;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToLongFunction;

/** Faults of the network between a process and the server. */
final class NetworkFaults {

  private NetworkFaults() {}

  static void cut(FaultStrike strike) throws Exception {
    strike.with(
        strike.station(),
        station -> {
          Waiting.until(station + " loses a connection", () -> station.network().cutAll() > 0);
        });
  }

  static void blackHole(FaultStrike strike) throws Exception {
    let(strike, ProxyFlow.swallow(), FaultProxy::swallowed);
  }

  static void hold(FaultStrike strike) throws Exception {
    let(strike, ProxyFlow.hold(), FaultProxy::held);
  }

  static void delay(FaultStrike strike) throws Exception {
    ProxyFlow slow = ProxyFlow.delayed(Duration.ofMillis(20 + strike.victim() % 200));
    let(strike, slow, FaultProxy::delayed);
  }

  private static void let(FaultStrike strike, ProxyFlow flow, ToLongFunction<FaultProxy> counter)
      throws Exception {
    strike.with(
        strike.station(),
        station -> {
          FaultProxy network = station.network();
          long before = counter.applyAsLong(network);
          network.setFlow(flow);
          try {
            Waiting.until(flow + " hits " + station, () -> counter.applyAsLong(network) > before);
            LockSupport.parkNanos(strike.hold().toNanos());
          } finally {
            network.setFlow(ProxyFlow.pass());
          }
        });
  }

  static void cutEnqueue(FaultStrike strike) throws Exception {
    cutCommit(strike, strike.producer(), "task_init");
  }

  static void cutClaim(FaultStrike strike) throws Exception {
    cutCommit(strike, strike.worker(), "insert into \"rota\".\"task_batch_");
  }

  static void cutSettle(FaultStrike strike) throws Exception {
    // In transactional mode one COMMIT serves both claim and settle.
    boolean leased = strike.field().mode() == DeliveryMode.LEASED;
    String settle = leased ? "update \"rota\".\"task_batch_" : "insert into effect";
    cutCommit(strike, strike.worker(), settle);
  }

  static void cutDaemon(FaultStrike strike) throws Exception {
    cutCommit(strike, strike.field().daemon(), "");
  }

  private static void cutCommit(FaultStrike strike, ProcessSupervisor target, String text)
      throws Exception {
    strike.with(
        target,
        station -> {
          FaultProxy network = station.network();
          long before = network.cuts(CutPoint.COMMIT_ANSWER);
          network.cutNext(CutPoint.COMMIT_ANSWER, text);
          try {
            Waiting.until(
                "a COMMIT of " + station + " loses its answer",
                () -> network.cuts(CutPoint.COMMIT_ANSWER) > before);
          } finally {
            network.cutNever(CutPoint.COMMIT_ANSWER);
          }
          assertThat(network.cuts(CutPoint.COMMIT_ANSWER)).isEqualTo(before + 1);
        });
  }
}
