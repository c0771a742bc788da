package io.indexview.kvstore.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ShardsTest {
  /** The first of the voters is the master. */
  @ParameterizedTest
  @CsvSource({
    "n1,          reader,        true",
    "n1 n2,       reader,        false",
    "n1 n2,       n2,            true",
    "n1 n2 n3,    '',            false",
    "n1 n2 n3,    reader,        false",
    "n1 n2 n3,    reader other,  false",
    "n1 n2 n3,    reader n3,     true",
    "n1 n2 n3 n4, n2 reader,     false",
    "n1 n2 n3 n4, n2 n3,         true",
    "n1 n2,       n9 secondary,  false",
  })
  void countsNobodyWhoHasNoVote(String voters, String readers, boolean isFollowed) {
    assertThat(Shards.isFollowed(Set.of(voters.split(" ")), Set.of(readers.split(" "))))
        .isEqualTo(isFollowed);
  }
}
