/*
 * Ricart and Agrawala's mutual exclusion, in the form that Raymond's k-mutex takes for k = 1:
 * a request goes to every other site, and a site answers at once or counts the answer it owes.
 *
 * This is the same machine as `allot check raymond --sites 4 --permits 1 --requests 1 --links fifo`,
 * and has the same states and transitions, so that the two explorations can be compared:
 *  - each step of a site is one d_step at the one control location of its process;
 *  - variables that a d_step needs only for itself are hidden: no part of the state;
 *  - the processes are there from the start, so there is no initial step either.
 */

#define SITES    4
#define OTHERS   (SITES - 1)
#define REQUESTS 1  /* how often each site may ask; it need not */

#define IDLE    0
#define WAITING 1
#define HOLDING 2

#define REQUEST 1
#define REPLY   2

/* Messages are (kind, content): REQUEST carries the stamp, REPLY the number of answers. A channel never holds
 * more than the requests its sender made and the replies to those its receiver made, so no send blocks. */
chan inbox[SITES * OTHERS] = [2 * REQUESTS] of { byte, byte };

/* A site numbers the others from 0 to OTHERS - 1, leaving itself out. */
#define other(n)        ((n) < _pid -> (n) : (n) + 1)
#define me_at(site)     (_pid < (site) -> _pid : _pid - 1)
#define from_other(n)   inbox[_pid * OTHERS + (n)]
#define to_other(n)     inbox[other(n) * OTHERS + me_at(other(n))]

#define mine_is_older(their_stamp, site) \
    (stamp < (their_stamp) || (stamp == (their_stamp) && _pid < (site)))

byte holders;

hidden byte n;
hidden byte kind;
hidden byte content;

inline request() {
    d_step {
        phase == IDLE && requests_left > 0 ->
        requests_left--;
        clock++;
        stamp = clock;
        phase = WAITING;
        for (n : 0 .. OTHERS - 1) {
            outstanding[n]++;
            to_other(n)!REQUEST,stamp
        }
    }
}

inline receive_from(sender) {
    d_step {
        from_other(sender)?kind,content ->
        if
        :: kind == REQUEST ->
            if
            :: clock < content -> clock = content
            :: else
            fi;
            if
            :: phase == HOLDING || (phase == WAITING && mine_is_older(content, other(sender))) ->
                deferred[sender]++
            :: else ->
                to_other(sender)!REPLY,1
            fi
        :: else ->
            outstanding[sender] = outstanding[sender] - content;
            if
            :: phase == WAITING && outstanding[0] == 0 && outstanding[1] == 0 && outstanding[2] == 0 ->
                phase = HOLDING;
                holders++;
                assert(holders <= 1)
            :: else
            fi
        fi
    }
}

inline release() {
    d_step {
        phase == HOLDING ->
        phase = IDLE;
        stamp = 0;
        holders--;
        for (n : 0 .. OTHERS - 1) {
            if
            :: deferred[n] > 0 ->
                to_other(n)!REPLY,deferred[n];
                deferred[n] = 0
            :: else
            fi
        }
    }
}

active [SITES] proctype site() {
    byte phase;
    byte clock;
    byte stamp;                /* of the open request; 0 without one */
    byte outstanding[OTHERS];  /* my requests that the other has not answered yet */
    byte deferred[OTHERS];     /* the answers I owe the other */
    byte requests_left = REQUESTS;

end:
    do
    :: request()
    :: receive_from(0)
    :: receive_from(1)
    :: receive_from(2)
    :: release()
    od
}
