package dev.rota.crash.campaign;

import java.util.List;

/** The tenants of a campaign, and the priorities that they use beside 0. */
final class CampaignTenants {

  static final List<String> NAMES = List.of("acme", "bolt", "cargo", "delta", "echo");
  static final int HIGH = 10;
  static final int LOW = -10;

  private CampaignTenants() {}
}
