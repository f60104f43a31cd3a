package dev.rota.dashboard.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AddressRangeTest {

  @ParameterizedTest
  @CsvSource({
    "0.0.0.0/0,         0.0.0.0",
    "0.0.0.0/0,         255.255.255.255",
    "10.0.0.0/8,        10.0.0.0",
    "10.0.0.0/8,        10.255.255.255",
    "172.16.0.0/12,     172.31.0.1",
    "192.168.1.128/25,  192.168.1.255",
    "10.1.2.3/32,       10.1.2.3",
    "10.1.2.3,          10.1.2.3",
    "::/0,              fd00::1",
    "fd00::/8,          fdff::1",
    "2001:db8::/33,     2001:db8:7fff::1",
    "::1/128,           ::1",
    "::1,               ::1",
    "fe80::/10,         fe80::1%1",
    "::ffff:10.0.0.0/104, 10.9.9.9",
    "::ffff:0:0/96,     10.9.9.9",
    "::ffff:10.0.0.1,   10.0.0.1"
  })
  void holdsAddressesWithItsFirstBits(String range, String address) throws UnknownHostException {
    assertThat(AddressRange.of(range).contains(InetAddress.getByName(address))).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "10.0.0.0/8,        9.255.255.255",
    "10.0.0.0/8,        11.0.0.0",
    "172.16.0.0/12,     172.32.0.0",
    "192.168.1.128/25,  192.168.1.127",
    "10.1.2.3/32,       10.1.2.2",
    "10.1.2.3,          10.1.2.4",
    "0.0.0.0/0,         ::1",
    "0.0.0.0/0,         fd00::1",
    "::/0,              10.0.0.1",
    "fd00::/8,          fe00::1",
    "2001:db8::/33,     2001:db8:8000::1",
    "::1/128,           ::2",
    "::a00:0/104,       10.0.0.1",
    "::ffff:10.0.0.0/104, 11.0.0.1"
  })
  void holdsNoOthers(String range, String address) throws UnknownHostException {
    assertThat(AddressRange.of(range).contains(InetAddress.getByName(address))).isFalse();
  }

  @Test
  void anAddressInTheFormOfVersionSixIsOneOfVersionFour() throws UnknownHostException {
    byte[] mapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, 10, 0, 0, 1};
    InetAddress address = Inet6Address.getByAddress("", mapped, -1);
    assertThat(address.getAddress()).hasSize(16);
    assertThat(AddressRange.of("10.0.0.0/8").contains(address)).isTrue();
    assertThat(AddressRange.of("11.0.0.0/8").contains(address)).isFalse();
    assertThat(AddressRange.of("::/0").contains(address)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "/8",
        "10.0.0.0/",
        "10.0.0.0/33",
        "10.0.0.0/-1",
        "10.0.0.0/8/8",
        "10.0.0.0/255.0.0.0",
        "10/8",
        "10.0.0/24",
        "010.0.0.0/8",
        "256.0.0.0/8",
        "10.0.0.0/8 ",
        "fd00::/129",
        "fd00:/8",
        "fd00::1::/8",
        "::ffff:10.0.0.0/33",
        "[::1]/128",
        "fe80::1%lo/128",
        "localhost",
        "localhost/32",
        "abc",
        "proxy.example"
      })
  void otherTextsAreRefused(String range) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> AddressRange.of(range))
        .withMessage("range '" + range + "' is malformed; use one such as 10.0.0.0/8 or fd00::/8");
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.1/8", "0.0.0.1/0", "fd00::1/127", "::ffff:10.0.0.1/104"})
  void bitsAfterTheFirstAreRefused(String range) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> AddressRange.of(range))
        .withMessage(
            "range '" + range + "' must have zeros after its first bits, as 10.0.0.0/8 has");
  }
}
