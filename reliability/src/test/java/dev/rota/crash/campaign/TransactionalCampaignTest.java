package dev.rota.crash.campaign;

import dev.rota.DeliveryMode;
import dev.rota.crash.Alone;
import dev.rota.crash.CrashTest;
import org.junit.jupiter.api.Test;

/** Runs faults of all kinds against transactional delivery. */
@Alone
@CrashTest
class TransactionalCampaignTest extends CampaignTest {

  TransactionalCampaignTest() {
    super(DeliveryMode.TRANSACTIONAL);
  }

  @Override
  @Test
  void nothingIsLostOrDoneTwiceWithoutCause() throws Exception {
    super.nothingIsLostOrDoneTwiceWithoutCause();
  }
}
