package dev.rota.crash.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.DeliveryMode;
import dev.rota.crash.server.FaultProxy;
import dev.rota.crash.server.FaultProxy.CutPoint;
import dev.rota.crash.server.ProxyFlow;
import dev.rota.testing.Await;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToLongFunction;

/** Faults of the network between a process and the server. */
final class NetworkFaults {

  private NetworkFaults() {}

  static void cut(ActiveFault fault) throws Exception {
    fault.with(
        fault.supervisor(),
        supervisor -> {
          Await.until(supervisor + " loses a connection", () -> supervisor.network().cutAll() > 0);
        });
  }

  static void blackHole(ActiveFault fault) throws Exception {
    let(fault, ProxyFlow.swallow(), FaultProxy::swallowed);
  }

  static void hold(ActiveFault fault) throws Exception {
    let(fault, ProxyFlow.hold(), FaultProxy::held);
  }

  static void delay(ActiveFault fault) throws Exception {
    ProxyFlow slow = ProxyFlow.delayed(Duration.ofMillis(20 + fault.victim() % 200));
    let(fault, slow, FaultProxy::delayed);
  }

  private static void let(ActiveFault fault, ProxyFlow flow, ToLongFunction<FaultProxy> counter)
      throws Exception {
    fault.with(
        fault.supervisor(),
        supervisor -> {
          FaultProxy network = supervisor.network();
          long before = counter.applyAsLong(network);
          network.setFlow(flow);
          try {
            Await.until(flow + " hits " + supervisor, () -> counter.applyAsLong(network) > before);
            LockSupport.parkNanos(fault.hold().toNanos());
          } finally {
            network.setFlow(ProxyFlow.pass());
          }
        });
  }

  static void cutEnqueue(ActiveFault fault) throws Exception {
    cutCommit(fault, fault.producer(), "task_init");
  }

  static void cutClaim(ActiveFault fault) throws Exception {
    cutCommit(fault, fault.worker(), "insert into \"rota\".\"task_batch_");
  }

  static void cutSettle(ActiveFault fault) throws Exception {
    // In transactional mode one COMMIT serves both claim and settle.
    boolean leased = fault.environment().mode() == DeliveryMode.LEASED;
    String settle = leased ? "update \"rota\".\"task_batch_" : "insert into effect";
    cutCommit(fault, fault.worker(), settle);
  }

  static void cutDaemon(ActiveFault fault) throws Exception {
    cutCommit(fault, fault.environment().daemon(), "");
  }

  private static void cutCommit(ActiveFault fault, ProcessSupervisor target, String text)
      throws Exception {
    fault.with(
        target,
        supervisor -> {
          FaultProxy network = supervisor.network();
          long before = network.cuts(CutPoint.COMMIT_ANSWER);
          network.cutNext(CutPoint.COMMIT_ANSWER, text);
          try {
            Await.until(
                "a COMMIT of " + supervisor + " loses its answer",
                () -> network.cuts(CutPoint.COMMIT_ANSWER) > before);
          } finally {
            network.cutNever(CutPoint.COMMIT_ANSWER);
          }
          assertThat(network.cuts(CutPoint.COMMIT_ANSWER)).isEqualTo(before + 1);
        });
  }
}
