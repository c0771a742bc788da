package io.indexview.connect.s3.notification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.connect.s3.notification.ObjectKeyFields.Fields;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ObjectKeyFieldsTest {

  @ParameterizedTest
  @CsvSource({
    "USER001_FILE001.txt, USER001, FILE001",
    "alice-report, alice, report",
    "alice-2017-08-20_v2.tar.gz, alice, 2017-08-20_v2.tar",
    "2017/08/alice_report.pdf, alice, report",
    "フ_ファイル.txt, フ, ファイル",
    "README, , README",
    "docs/README.md, , README.md",
    "_FILE001.txt, , _FILE001.txt",
  })
  void findsUserAndFileByDefault(String key, String user, String file) {
    assertThat(new ObjectKeyFields(ObjectKeyFields.DEFAULT_PATTERN).parse(key))
        .isEqualTo(new Fields(user, file));
  }

  @Test
  void takesAnotherLayout() {
    ObjectKeyFields bracketed =
        new ObjectKeyFields("\\[(?<uploadUser>[^\\]]+)\\]-\\[(?<fileId>[^\\]]+)\\]");
    ObjectKeyFields folders = new ObjectKeyFields("(?<uploadUser>[^/]+)/.*");

    assertThat(bracketed.parse("[bob]-[7]")).isEqualTo(new Fields("bob", "7"));
    assertThat(folders.parse("bob/a\nb")).isEqualTo(new Fields("bob", null));
  }

  @ParameterizedTest
  @ValueSource(strings = {"(", ".*", "(?<user>.*)", "(?<uploadUser>.*)(?<size>.*)", ""})
  void refusesAPatternThatNamesNoField(String regex) {
    assertThatThrownBy(() -> new ObjectKeyFields(regex))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
