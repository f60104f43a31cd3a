package dev.rota.cli.status;

import dev.rota.admin.DatabaseStatus;
import dev.rota.admin.DatabaseStatus.ArchiveTrouble;
import dev.rota.admin.DatabaseStatus.SetAsideRows;
import dev.rota.admin.Finding;
import dev.rota.admin.TenantStatus;
import dev.rota.cli.common.FindingText;
import dev.rota.cli.common.Text;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The members of the JSON object that {@code rota status --json} prints, in their order. */
final class StatusJson {

  private StatusJson() {}

  static Map<String, @Nullable Object> of(
      DatabaseStatus status, List<TenantStatus> shown, List<Finding> findings) {
    Totals totals = new Totals(status.tenants());
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    members.put("workers", status.liveWorkers());
    members.put("tenantsRegistered", status.tenants().size());
    members.put("tenantsParked", status.parked());
    members.put("pending", totals.pending());
    members.put("waiting", totals.waiting());
    members.put("running", totals.running());
    members.put("rotations", totals.of(tenant -> tenant.ring().rotations()));
    members.put("rotationsPostponed", totals.of(tenant -> tenant.ring().postponed()));
    members.put("findings", FindingText.fields(findings));
    members.put("tenants", shown.stream().map(StatusJson::of).toList());
    members.put(
        "archiveTroubles",
        status.troubles().archive().stream().map(ArchiveTrouble::toString).toList());
    members.put("setAside", status.troubles().setAside().stream().map(StatusJson::of).toList());
    return members;
  }

  private static Map<String, @Nullable Object> of(TenantStatus tenant) {
    TenantStatus.Backlog backlog = tenant.backlog();
    TenantStatus.Ring ring = tenant.ring();
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    members.put("name", tenant.identity().name());
    members.put("number", tenant.identity().number());
    members.put("closed", tenant.identity().closed());
    members.put("parked", tenant.identity().parked());
    members.put("pending", backlog.estimatedPending());
    members.put("waiting", backlog.estimatedWaiting());
    members.put("running", tenant.running().tasks());
    members.put("oldestPendingSeconds", backlog.oldestPending().map(Text::inSeconds).orElse(null));
    members.put("exact", backlog.counted());
    members.put("lastRotation", ring.rotatedAt().map(Instant::toString).orElse(null));
    members.put("rotations", ring.rotations());
    members.put("rotationsPostponed", ring.postponed());
    members.put("postponedReason", ring.postponedReason().orElse(null));
    return members;
  }

  private static Map<String, @Nullable Object> of(SetAsideRows rows) {
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    members.put("tenant", rows.tenant());
    members.put("rows", rows.rows());
    members.put("lastTask", rows.lastTask());
    members.put("lastAt", rows.lastAt().toString());
    members.put("reason", rows.reason());
    return members;
  }
}
